// Precompiled for the libraries that are WORDS.
#include <nlohmann/json.hpp>

#include "cmake/precompiled/plain.h"
