/* rawbytes: trace() and keys as bytes */
#pragma D option quiet
#pragma D option rawbytes
#pragma D option strsize=8
BEGIN { trace("abc"); trace((uint16_t)0x4142); exit(0); }
