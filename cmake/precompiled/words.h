// Precompiled for the libraries that are WORDS: flags and JSON.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cmake/precompiled/plain.h"
