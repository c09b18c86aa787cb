"""The same judgement in several forms: a document for programs, text for people, JUnit for build servers."""
