(pair key: (string (string_content) @name) value: [(array (number)? @n) (object)] @value) @pair

((comment) @a . (object (pair) @b .) (#match? @a "^//") (#not-eq? @b "x"))

(array . (number) @first (_)? @any (#any-of? @first "1" "2"))

(object !key "{" @open _ @token)

[(true) (false) (ERROR)] @word
