#define _GNU_SOURCE
#include "CFileCoordinationSystem.h"
