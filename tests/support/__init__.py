"""What the Python tests share. ctest puts tests/ and tests/interop/ on PYTHONPATH."""
