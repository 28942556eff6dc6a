BEGIN { @a["k"] = count(); printa("%s %@s\n", @a); }
