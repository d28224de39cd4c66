; Captures: see "Add a language" in CONTRIBUTING.md.
(comment) @comment

(element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))) @signature
  (#eq? @_id "id")) @definition.resource
(element (start_tag (tag_name) @_heading) . (text) @name
  (#any-of? @_heading "h1" "h2" "h3" "h4" "h5" "h6")) @definition.section

(script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @import)))
  (#eq? @_src "src"))
(start_tag (tag_name) @_link (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @import))
  (#eq? @_link "link") (#eq? @_href "href"))
