# dt-trace -e: what the compiler says of programs, on the command line. No
# test here needs root or a kernel with BTF.

load helper

@test "-e compiles and stops; an error is status 1 and names file and line" {
	echo 'BEGIN { exit(7); }' >good.d
	status 0 dt-trace -e -s good.d
	[ -z "$output" ]
	printf 'BEGIN\n{\n\tx = nothing_here;\n}\n' >bad.d
	status 1 dt-trace -e -s bad.d
	has "failed to compile script bad.d: line 3: "
	has "nothing_here"
}

@test "-x errtags shows the tags" {
	status 1 dt-trace -x errtags -e -n 'BEGIN { x = missing; }'
	has "[D_IDENT_UNDEF] line 1: "
	status 1 dt-trace -x errtags -e -n 'BEGIN { x = 1 +; }'
	has "[D_SYNTAX] line 1: "
}

@test "several errors in one run, each with its line" {
	printf 'BEGIN {\n a = nope;\n b = a + 1;\n c = "x" * 2;\n}\n' >x.d
	status 1 dt-trace -e -s x.d
	has "line 2: "
	has "line 4: "
	hasnt "line 3: "
}

@test "errors of two descriptions name each" {
	status 1 dt-trace -e -n 'BEGIN { x = nope; }' -n 'END { y = nada; }'
	has "specifier BEGIN : line 1: failed to resolve nope"
	has "specifier END : line 1: failed to resolve nada"
}

@test "a near miss gets a hint" {
	status 1 dt-trace -e -n 'BEGIN { trace(exename); }'
	has "did you mean execname?"
	status 1 dt-trace -e -n 'BEGIN { pritnf("x"); }'
	has "did you mean printf( )?"
	status 1 dt-trace -e -n 'BEGIN { trace($target); }'
	has "-c or -p"
}

@test "a struct that is not defined: named, with the near miss" {
	local d='struct shop_item { int n; };' use
	for use in 'sizeof(struct shop_itm)' '((struct shop_itm *)1)->n' \
	    'offsetof(struct shop_itm, n)' '*(struct shop_itm *)1'; do
		status 1 dt-trace -e -n "$d BEGIN { trace($use); }"
		has "line 1: "
		has "struct shop_itm"
		has "did you mean struct shop_item?"
	done
	status 1 dt-trace -e -n "$d struct shop_itm x; BEGIN { trace(x.n); }"
	has "did you mean struct shop_item?"
	status 1 dt-trace -e -n 'BEGIN { trace(sizeof(struct no_such_one)); }'
	has "unknown size: struct no_such_one"
	hasnt "did you mean"
	# the kernel's own
	status 1 dt-trace -e -n 'BEGIN { trace(((struct task_strct *)1)->pid); }'
	has "did you mean struct task_struct?"
}

@test "options: -x and pragmas, with their values" {
	status 0 dt-trace -x strsize=64 -x bufsize=1m -e -n BEGIN
	status 1 dt-trace -x nosuch -e -n BEGIN
	has "failed to set -x nosuch: Invalid option name"
	status 1 dt-trace -x quite -e -n BEGIN
	has "did you mean 'quiet'?"
	status 1 dt-trace -b lots -e -n BEGIN
	has "failed to set -b lots: Invalid value"
	status 1 dt-trace -x bufsize=lots -e -n BEGIN
	has "Invalid value"
	status 1 dt-trace -x libdir=/x -e -n BEGIN
	has "means nothing on this system"
	echo '#pragma D option strsize=big' >x.d
	echo 'BEGIN { }' >>x.d
	status 1 dt-trace -e -s x.d
	has "line 1: "
	has "strsize"
}

@test "macro arguments: given, missing, left over, defaulted" {
	echo 'BEGIN { x = $1; s = $$2; }' >x.d
	status 0 dt-trace -e -s x.d 5 'two words'
	status 1 dt-trace -e -s x.d 5
	has '$$2'
	status 1 dt-trace -e -s x.d 5 6 7
	has "extraneous argument '7' (\$3 is not referenced)"
	status 0 dt-trace -x defaultargs -e -s x.d
	status 0 dt-trace -x argref -e -s x.d 5 6 7
}

@test "-S prints the tree of what was compiled" {
	status 0 dt-trace -e -S -x disasm=ast -n 'BEGIN { x = 2 * 3; y = x + 1L; }'
	cat >want <<-'END'
	ident x scalar 0 : int read written
	ident y scalar 1 : long written
	clause 0 line 1: :::BEGIN
	  assign = : int
	    var x : int
	    int 6 : int
	  assign = : long
	    var y : long
	    binary + : long
	      cast : long
	        var x : int
	      int 1 : long
	END
	printf '%s\n' "$output" | diff want -
}

@test "-C: macros, includes, conditions; errors name the header" {
	need_tool cpp
	echo '#define TWO 2' >h.h
	printf '#include "h.h"\n#if defined(A) && A > 3\nBEGIN { x = TWO + A; }\n' \
	    >x.d
	printf '#else\nsyntax error here\n#endif\n' >>x.d
	status 0 dt-trace -C -D A=4 -I . -e -s x.d
	status 1 dt-trace -C -D A=1 -I . -e -s x.d
	has "line 5: "
	printf '\nint 5;\n' >bad.h
	printf '#include "bad.h"\nBEGIN { }\n' >y.d
	status 1 dt-trace -C -I . -e -s y.d
	has 'bad.h: line 2: '
	status 1 dt-trace -e -s x.d
	has "-C runs the C preprocessor"
}

@test "an empty program, a missing file, a program on a directory" {
	echo '/* nothing */' >x.d
	status 1 dt-trace -e -s x.d
	has "line 2: empty D program"
	status 0 dt-trace -x empty -e -s x.d
	status 1 dt-trace -e -s nosuch.d
	has "failed to open nosuch.d"
	status 1 dt-trace -e -s .
}

@test "a program without end does not exhaust the machine" {
	{ printf 'BEGIN { x = '; head -c 2000000 /dev/zero | tr '\0' '('; } >x.d
	status 1 dt-trace -x errtags -e -s x.d
	has "[D_NEST]"
	{ printf 'BEGIN { x = 1'; yes '+1' | head -200000; echo '; }'; } >x.d
	status 1 dt-trace -x errtags -e -s x.d
	has "[D_NEST]"
	head -c 20000000 /dev/zero | tr '\0' ' ' >x.d
	status 1 dt-trace -e -s x.d
}

@test "declarations type variables, members and arguments" {
	cat >x.d <<-'END'
	struct pair { int first; short second:3; };
	typedef struct pair pair_t;
	enum col { RED, GREEN = 5 };
	pair_t p; int sq[6]; string names[int, string]; self long t;
	inline int most[int a, int b] = a > b ? a : b;
	BEGIN
	{
		p.first = GREEN;
		sq[p.first] = most[p.second, 3];
		names[1, "x"] = "y";
		self->t = sizeof (pair_t) + offsetof(struct pair, second);
	}
	END
	status 1 dt-trace -x errtags -e -s x.d
	has D_OFFSETOF_BITFIELD
	sed -i 's/:3//' x.d
	status 0 dt-trace -e -s x.d
}

@test "the address of a kernel symbol by name" {
	need_root
	grep -q '^0*[1-9a-f][0-9a-f]* T schedule$' /proc/kallsyms ||
		skip "no addresses in /proc/kallsyms"
	status 0 dt-trace -qn 'BEGIN {
		printf("%a\n", &`schedule);
		trace(*(char *)&vmlinux`schedule == *(char *)&`schedule);
		exit(0); }'
	has "vmlinux\`schedule
1"
	status 1 dt-trace -n 'BEGIN { trace(&nomodule`schedule); }'
	has "failed to resolve nomodule\`schedule"
	status 1 dt-trace -n 'BEGIN { trace(`schedule); }'
	has "*(type *)&\`schedule"
}

# The options of opt.def, their kinds and defaults.
opts() {
	local o='^O\([A-Z0-9]+,\s*"([a-z]+)",\s*OK_([A-Z]+),\s*'

	sed -nE "s/$o(\"([^\" ]*)|N).*/\1 \2 \4/p" \
	    "$DT_SRC/src/trace/opt.def"
}

@test "options: each is taken, or refused with why; dt-trace(1) names it" {
	local n=0 o kind value
	while read -r o kind value; do
		n=$((n + 1))
		grep -qE "^\.It Cm (.* , )?$o( |\$)" "$DT_SRC/man/dt-trace.1" || {
			echo "$o is not in dt-trace(1)"
			return 1
		}
		case $o in
		cpp) continue ;;
		disasm) value=ast ;;
		evaltime) value=exec ;;
		version) value=1.0 ;;
		without) value=loop ;;
		esac
		case $kind in
		FLAG) status 0 dt-trace -x "$o" -en BEGIN ;;
		*)
			status 0 dt-trace -x "$o=${value:-x}" -en BEGIN
			status 1 dt-trace -x "$o" -en BEGIN
			has "failed to set -x $o: Invalid value"
			;;
		esac
		case $kind in
		TIME | SIZE | ENUM | INT)
			status 1 dt-trace -x "$o=some" -en BEGIN
			has "failed to set -x $o: Invalid value"
			;;
		esac
	done < <(opts)
	[ "$n" -gt 50 ]
	[ "$n" -eq "$(grep -c '^O(' "$DT_SRC/src/trace/opt.def")" ]
	n=0
	while read -r o; do
		n=$((n + 1))
		status 1 dt-trace -x "$o=1" -en BEGIN
		has "failed to set -x $o: option '$o' means nothing on this"
		printf '\n#pragma D option %s\nBEGIN { }\n' "$o" >x.d
		status 1 dt-trace -e -s x.d
		has "line 2: failed to set option '$o'"
	done < <(sed -nE 's/^OPTNONE\("([a-z]+)".*/\1/p' \
	    "$DT_SRC/src/trace/opt.def")
	[ "$n" -gt 30 ]
}

@test "options: out of its range a number, size or time is refused" {
	local n=0 id o least most w
	# refused VALUE: by -x and by a pragma, naming option, value and range
	refused() {
		status 1 dt-trace -x "$o=$1" -en BEGIN
		has "failed to set -x $o: Invalid value"
		has "($o=$1: it may be $least to $most)"
		printf '\n#pragma D option %s=%s\nBEGIN { }\n' "$o" "$1" >x.d
		status 1 dt-trace -e -s x.d
		has "line 2: failed to set option '$o' to '$1': Invalid value"
		has "($o=$1: it may be $least to $most)"
	}
	while read -r id least most; do
		n=$((n + 1))
		o=$(sed -nE "s/^O\($id,\s*\"([a-z]+)\".*/\1/p" \
		    "$DT_SRC/src/trace/opt.def")
		status 0 dt-trace -x "$o=$least" -x "$o=$most" -en BEGIN
		w=${most##*[0-9]}
		refused "$((${most%"$w"} + 1))$w"
		# a time without a unit is a frequency
		[ "$w" = d ] || refused 9223372036854775807
		w=${least##*[0-9]}
		[ "$least" = 0 ] || refused "$((${least%"$w"} - 1))$w"
	done < <(sed -nE \
	    's/^OPTRANGE\(([A-Z]+),.*"([0-9a-z]+) to ([0-9a-z]+)".*/\1 \2 \3/p' \
	    "$DT_SRC/src/trace/opt.def")
	[ "$n" -eq "$(grep -c '^OPTRANGE(' "$DT_SRC/src/trace/opt.def")" ]
	# every such option has one
	[ "$n" -eq "$(grep -cE '^O\(.*OK_(INT|SIZE|TIME)' \
	    "$DT_SRC/src/trace/opt.def")" ]
}

@test "pragmas and directives: taken, or refused with their line" {
	local p
	# pragma TEXT: a program with it on line 2
	pragma() {
		printf 'int x;\n%s\nBEGIN { }\n' "$1" >x.d
		run dt-trace -e -s x.d
	}
	for p in 'D option quiet' 'D attributes Stable/Stable/Common x' \
	    'D binding "1.0" x' 'D depends_on provider syscall' 'ident "x"' \
	    anything; do
		pragma "#pragma $p"
		[ "$status" -eq 0 ]
	done
	for p in '#ident "x"' '#line 5' '# 7 "y.c"' '#'; do
		pragma "$p"
		[ "$status" -eq 0 ]
	done
	while IFS='|' read -r p why; do
		pragma "$p"
		[ "$status" -eq 1 ]
		has "line 2: $why"
	done <<-'END'
	#pragma D nosuch|invalid pragma: #pragma D nosuch
	#pragma D option|#pragma D option takes one argument
	#pragma D option a b|#pragma D option takes one argument
	#pragma D option quite|failed to set option 'quite'
	#pragma D depends_on provider nosuch|program requires provider nosuch
	#pragma D depends_on module nosuch|program requires module nosuch
	#pragma D depends_on library no.d|program requires library no.d
	#pragma D error told|#error: told
	#error told|#error: told
	#bogus|invalid control directive: #bogus
	END
}
