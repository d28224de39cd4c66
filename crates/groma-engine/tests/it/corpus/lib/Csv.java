package lib;

import java.util.ArrayList;
import java.util.List;

/** Reads and writes comma-separated values. */
public final class Csv {
    private Csv() {}

    /** Splits a line into its fields; quotes protect commas, and two quotes are one. */
    public static List<String> parseLine(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                if (quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                    field.append(c);
                    i++;
                } else {
                    quoted = !quoted;
                }
            } else if (c == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        if (quoted) {
            throw new IllegalArgumentException("unterminated quote in: " + line);
        }
        fields.add(field.toString());
        return fields;
    }

    /** Quotes a field where it needs it. */
    public static String escape(String field) {
        boolean plain = field.indexOf(',') < 0 && field.indexOf('"') < 0 && field.indexOf('\n') < 0;
        return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
}
