"""The same judgement in several forms: a document for programs, text and Markdown for people, the rest for CI."""
