BEGIN { printa(@never); }
