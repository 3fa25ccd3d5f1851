// This file is empty. The compiler allows functions without a body, as runtime.go has them, only beside assembly.
