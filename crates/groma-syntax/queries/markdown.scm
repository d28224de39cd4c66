; Captures: see CONTRIBUTING.md, "Adding a language".
(atx_heading heading_content: (inline) @name) @definition.section
(setext_heading heading_content: (paragraph) @name) @definition.section
(fenced_code_block) @fence
