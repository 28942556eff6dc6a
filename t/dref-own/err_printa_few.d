BEGIN { @a["k"] = count(); printa("%s %d\n", @a); }
