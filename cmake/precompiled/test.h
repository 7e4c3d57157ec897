// Precompiled for every test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "absl/strings/str_format.h"
#include "cmake/precompiled/plain.h"
