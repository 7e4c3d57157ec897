"""The wire messages, generated from the .proto files when the package is built."""
