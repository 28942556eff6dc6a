load helper

@test "the harness sets up a fresh working directory" {
	[ "$PWD" = "$T" ]
	[ -d "$DT_SRC/src/libdt" ]
}
