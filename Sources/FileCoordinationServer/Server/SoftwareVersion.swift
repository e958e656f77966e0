// SPDX-License-Identifier: Apache-2.0
//
// The version of the programs, in the one place where it stands.

/// The version of `filecoord` and `filecoordinationd`.
///
/// A program and a daemon of different versions work together only if they speak the same protocol
/// (``ProtocolVersion``); `filecoord doctor` names the difference.
package enum SoftwareVersion {
    package static let number = "0.2.0"
}
