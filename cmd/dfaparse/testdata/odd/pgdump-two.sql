--
-- PostgreSQL database dump
--

COPY public.users (id, name, at, score) FROM stdin;
1	Ann	2024-01-01 10:00:00	\N
2	Bob	2024-01-02 11:00:00	1.5
3	Cid	2024-01-03 12:00:00	2.5
\.


--
-- PostgreSQL database dump complete
--
--
-- PostgreSQL database dump
--

COPY public.users (id, name, at, score) FROM stdin;
1	Ann	2024-01-01 10:00:00	\N
2	Bob	2024-01-02 11:00:00	1.5
3	Cid	2024-01-03 12:00:00	2.5
\.


--
-- PostgreSQL database dump complete
--
