# Random programs: what the kernel computes is what C computes.

load helper

setup() {
	helper_setup
	need_root
	need_tool dt-trace
}

# SEED...: a program each
compare() {
	local seed
	for seed; do
		"$DT_BUILD/t/gen-expr" "$seed" p.d want
		if ! timeout 60 dt-trace -s p.d >got 2>err; then
			echo "seed $seed: $(head -c 500 err)"
			return 1
		fi
		if ! cmp -s want got; then
			echo "seed $seed:"
			diff want got | head -5
			return 1
		fi
	done
}

@test "expressions: 60 programs of a hundred statements" {
	compare $(seq 1 60)
}
