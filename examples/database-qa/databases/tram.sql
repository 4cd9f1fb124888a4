-- A year of the tramways of a town of our invention. Gaps are real gaps: a counter that failed, a delay nobody wrote down.

CREATE TABLE depots (
  depot_id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  opened INTEGER NOT NULL -- year
);
CREATE TABLE lines (
  line_id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  depot_id INTEGER NOT NULL REFERENCES depots,
  length_km DOUBLE NOT NULL,
  own_track_share DOUBLE NOT NULL, -- share of the line that no car can block
  night_service BOOLEAN NOT NULL
);
CREATE TABLE stops (
  stop_id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  zone VARCHAR NOT NULL,
  step_free BOOLEAN -- NULL: not surveyed
);
CREATE TABLE line_stops (
  line_id INTEGER NOT NULL REFERENCES lines,
  position INTEGER NOT NULL,
  stop_id INTEGER NOT NULL REFERENCES stops,
  PRIMARY KEY (line_id, position)
);
CREATE TABLE vehicles (
  vehicle_id INTEGER PRIMARY KEY,
  model VARCHAR NOT NULL,
  built INTEGER NOT NULL,
  line_id INTEGER REFERENCES lines, -- NULL: in reserve
  low_floor BOOLEAN NOT NULL
);
CREATE TABLE ridership (
  line_id INTEGER NOT NULL REFERENCES lines,
  month DATE NOT NULL,
  passengers INTEGER, -- thousands; NULL: the counter failed
  PRIMARY KEY (line_id, month)
);
CREATE TABLE disruptions (
  disruption_id INTEGER PRIMARY KEY,
  vehicle_id INTEGER NOT NULL REFERENCES vehicles,
  happened DATE NOT NULL,
  cause VARCHAR NOT NULL,
  delay_minutes INTEGER -- NULL: not written down
);
CREATE TABLE surveys (
  survey_id INTEGER PRIMARY KEY,
  line_id INTEGER NOT NULL REFERENCES lines,
  taken DATE NOT NULL,
  rider VARCHAR NOT NULL, -- commuter, student or visitor
  satisfaction INTEGER -- 1 to 5; NULL: no answer
);

INSERT INTO depots VALUES
  (1, 'Mill Lane', 1928), (2, 'Eastgate', 2011);

INSERT INTO lines VALUES
  (1, 'Harbour Line', 1, 9.4, 0.35, true), (2, 'University Line', 1, 7.1, 0.2, true),
  (3, 'Hill Line', 1, 11.8, 0.55, false), (4, 'Ring Line', 2, 14.2, 0.8, false),
  (5, 'Garden Suburb Line', 2, 8.3, 0.95, false);

INSERT INTO stops VALUES
  (1, 'Central Station', 'A', true), (2, 'Harbour Market', 'A', true),
  (3, 'Old Customs House', 'A', false), (4, 'University', 'A', true),
  (5, 'Botanic Garden', 'B', NULL), (6, 'Hospital', 'B', true), (7, 'Town Hall', 'A', true),
  (8, 'Hilltop', 'B', false), (9, 'Observatory', 'C', false), (10, 'Eastgate', 'B', true),
  (11, 'Brickworks', 'C', NULL), (12, 'Orchard Road', 'C', true), (13, 'Garden Suburb', 'C', true),
  (14, 'Stadium', 'B', true), (15, 'Riverside', 'A', NULL), (16, 'Mill Lane', 'B', false);

INSERT INTO line_stops VALUES
  (1, 1, 3), (1, 2, 2), (1, 3, 15), (1, 4, 1), (1, 5, 7), (1, 6, 16), (2, 1, 1), (2, 2, 7),
  (2, 3, 4), (2, 4, 5), (2, 5, 6), (3, 1, 1), (3, 2, 7), (3, 3, 6), (3, 4, 8), (3, 5, 9), (4, 1, 1),
  (4, 2, 10), (4, 3, 14), (4, 4, 6), (4, 5, 5), (4, 6, 15), (5, 1, 1), (5, 2, 10), (5, 3, 11),
  (5, 4, 12), (5, 5, 13);

INSERT INTO vehicles VALUES
  (101, 'Gothia', 1987, 1, false), (102, 'Gothia', 1987, 2, false), (103, 'Gothia', 1987, 3, false),
  (104, 'Gothia', 1987, 3, false), (105, 'Gothia', 1987, 3, false), (106, 'Gothia', 1987, 4, false),
  (107, 'Gothia', 1987, 4, false), (108, 'Gothia', 1987, 5, false), (109, 'Linnet', 2012, 1, true),
  (110, 'Linnet', 2012, 2, true), (111, 'Linnet', 2012, 3, true), (112, 'Linnet', 2012, 4, true),
  (113, 'Linnet', 2012, 5, true), (114, 'Linnet', 2012, 5, true), (115, 'Swift', 2021, 1, true),
  (116, 'Swift', 2021, 1, true), (117, 'Swift', 2021, 1, true), (118, 'Swift', 2021, 2, true),
  (119, 'Swift', 2021, 2, true), (120, 'Swift', 2021, 2, true), (121, 'Swift', 2021, 4, true),
  (122, 'Swift', 2021, NULL, true);

INSERT INTO ridership VALUES
  (1, '2024-01-01', 198), (1, '2024-02-01', 194), (1, '2024-03-01', 202), (1, '2024-04-01', 203),
  (1, '2024-05-01', 209), (1, '2024-06-01', 222), (1, '2024-07-01', 237), (1, '2024-08-01', 232),
  (1, '2024-09-01', 205), (1, '2024-10-01', 191), (1, '2024-11-01', 183), (1, '2024-12-01', NULL),
  (2, '2024-01-01', 249), (2, '2024-02-01', 249), (2, '2024-03-01', NULL), (2, '2024-04-01', 249),
  (2, '2024-05-01', 242), (2, '2024-06-01', 224), (2, '2024-07-01', 143), (2, '2024-08-01', 135),
  (2, '2024-09-01', 206), (2, '2024-10-01', 255), (2, '2024-11-01', 255), (2, '2024-12-01', 226),
  (3, '2024-01-01', 137), (3, '2024-02-01', 132), (3, '2024-03-01', 132), (3, '2024-04-01', 129),
  (3, '2024-05-01', 126), (3, '2024-06-01', 121), (3, '2024-07-01', 116), (3, '2024-08-01', 113),
  (3, '2024-09-01', 119), (3, '2024-10-01', 119), (3, '2024-11-01', 116), (3, '2024-12-01', 112),
  (4, '2024-01-01', 160), (4, '2024-02-01', 158), (4, '2024-03-01', 159), (4, '2024-04-01', 158),
  (4, '2024-05-01', 156), (4, '2024-06-01', 156), (4, '2024-07-01', 156), (4, '2024-08-01', 155),
  (4, '2024-09-01', 154), (4, '2024-10-01', NULL), (4, '2024-11-01', NULL), (4, '2024-12-01', 152),
  (5, '2024-01-01', 51), (5, '2024-02-01', 54), (5, '2024-03-01', 56), (5, '2024-04-01', 60),
  (5, '2024-05-01', 62), (5, '2024-06-01', 65), (5, '2024-07-01', 67), (5, '2024-08-01', 68),
  (5, '2024-09-01', 73), (5, '2024-10-01', 76), (5, '2024-11-01', 80), (5, '2024-12-01', 83);

INSERT INTO disruptions VALUES
  (1, 103, '2024-01-19', 'door fault', 17), (2, 104, '2024-01-19', 'brake fault', 16),
  (3, 105, '2024-01-21', 'door fault', 18), (4, 106, '2024-01-23', 'door fault', 11),
  (5, 118, '2024-01-25', 'door fault', 22), (6, 103, '2024-01-29', 'blocked track', 20),
  (7, 107, '2024-01-31', 'blocked track', 15), (8, 119, '2024-02-01', 'blocked track', 19),
  (9, 118, '2024-02-03', 'software fault', 17), (10, 106, '2024-02-08', 'collision', 15),
  (11, 115, '2024-02-09', 'blocked track', 17), (12, 101, '2024-02-12', 'collision', 26),
  (13, 115, '2024-02-15', 'blocked track', 16), (14, 119, '2024-02-19', 'collision', 17),
  (15, 101, '2024-02-21', 'blocked track', 22), (16, 107, '2024-02-29', 'brake fault', 11),
  (17, 102, '2024-03-22', 'blocked track', NULL), (18, 102, '2024-03-27', 'collision', 25),
  (19, 121, '2024-03-28', 'power failure', 4), (20, 101, '2024-03-31', 'door fault', 21),
  (21, 104, '2024-04-12', 'door fault', 18), (22, 107, '2024-04-13', 'door fault', 12),
  (23, 103, '2024-04-16', 'door fault', NULL), (24, 107, '2024-04-18', 'blocked track', 14),
  (25, 116, '2024-05-01', 'blocked track', 16), (26, 104, '2024-05-10', 'door fault', 16),
  (27, 120, '2024-05-11', 'blocked track', 22), (28, 118, '2024-05-12', 'blocked track', 20),
  (29, 105, '2024-05-13', 'door fault', 17), (30, 120, '2024-06-01', 'blocked track', 20),
  (31, 102, '2024-06-14', 'blocked track', 28), (32, 110, '2024-06-16', 'collision', 22),
  (33, 115, '2024-06-16', 'software fault', NULL), (34, 117, '2024-06-16', 'blocked track', 18),
  (35, 117, '2024-07-23', 'collision', 17), (36, 112, '2024-07-29', 'collision', 8),
  (37, 109, '2024-07-31', 'collision', 18), (38, 104, '2024-08-07', 'collision', NULL),
  (39, 102, '2024-08-15', 'collision', 26), (40, 113, '2024-08-27', 'power failure', 9),
  (41, 107, '2024-08-29', 'brake fault', 11), (42, 108, '2024-08-29', 'brake fault', NULL),
  (43, 116, '2024-09-02', 'blocked track', 16), (44, 109, '2024-09-06', 'collision', NULL),
  (45, 111, '2024-09-06', 'blocked track', 15), (46, 108, '2024-09-24', 'brake fault', 10),
  (47, 119, '2024-10-02', 'blocked track', 18), (48, 109, '2024-10-05', 'blocked track', 20),
  (49, 120, '2024-10-09', 'power failure', 18), (50, 110, '2024-10-12', 'door fault', 21),
  (51, 117, '2024-10-14', 'collision', 18), (52, 105, '2024-10-18', 'door fault', 20),
  (53, 105, '2024-10-20', 'blocked track', 17), (54, 115, '2024-10-21', 'blocked track', 19),
  (55, 101, '2024-10-25', 'blocked track', 21), (56, 101, '2024-10-28', 'door fault', 22),
  (57, 117, '2024-10-28', 'software fault', 19), (58, 103, '2024-11-06', 'brake fault', 19),
  (59, 108, '2024-11-07', 'door fault', NULL), (60, 121, '2024-11-07', 'blocked track', 5),
  (61, 113, '2024-11-09', 'power failure', 6), (62, 102, '2024-11-13', 'blocked track', 25),
  (63, 109, '2024-11-13', 'collision', 22), (64, 117, '2024-11-15', 'door fault', 15),
  (65, 112, '2024-11-16', 'door fault', 11), (66, 118, '2024-11-18', 'blocked track', 19),
  (67, 119, '2024-11-19', 'blocked track', 18), (68, 113, '2024-11-19', 'fallen tree', 310),
  (69, 110, '2024-11-22', 'collision', 23), (70, 106, '2024-11-24', 'brake fault', 14),
  (71, 114, '2024-12-04', 'power failure', 5), (72, 116, '2024-12-04', 'blocked track', 15),
  (73, 116, '2024-12-04', 'door fault', 18), (74, 114, '2024-12-11', 'door fault', 7),
  (75, 121, '2024-12-12', 'software fault', 4), (76, 106, '2024-12-17', 'collision', 13),
  (77, 108, '2024-12-22', 'brake fault', 12), (78, 111, '2024-12-29', 'power failure', 12),
  (79, 120, '2024-12-29', 'blocked track', 19);

INSERT INTO surveys VALUES
  (1, 4, '2024-03-01', 'commuter', 3), (2, 2, '2024-03-01', 'student', 3),
  (3, 5, '2024-03-01', 'visitor', 5), (4, 4, '2024-03-01', 'visitor', 5),
  (5, 3, '2024-03-01', 'visitor', 4), (6, 5, '2024-03-01', 'commuter', 3),
  (7, 2, '2024-03-01', 'visitor', 4), (8, 2, '2024-03-01', 'commuter', 3),
  (9, 2, '2024-03-01', 'visitor', 4), (10, 1, '2024-03-01', 'visitor', 4),
  (11, 2, '2024-03-02', 'visitor', NULL), (12, 2, '2024-03-02', 'student', 2),
  (13, 1, '2024-03-02', 'commuter', 3), (14, 5, '2024-03-02', 'student', 5),
  (15, 5, '2024-03-02', 'commuter', 4), (16, 4, '2024-03-02', 'student', NULL),
  (17, 3, '2024-03-02', 'student', 4), (18, 5, '2024-03-02', 'student', NULL),
  (19, 5, '2024-03-02', 'visitor', 5), (20, 5, '2024-03-02', 'commuter', 5),
  (21, 2, '2024-03-03', 'commuter', 2), (22, 4, '2024-03-03', 'visitor', 5),
  (23, 3, '2024-03-03', 'commuter', 3), (24, 1, '2024-03-03', 'visitor', 3),
  (25, 3, '2024-03-03', 'commuter', 3), (26, 4, '2024-03-03', 'student', 3),
  (27, 3, '2024-03-03', 'visitor', 4), (28, 5, '2024-03-03', 'commuter', 3),
  (29, 4, '2024-09-17', 'visitor', 5), (30, 3, '2024-09-17', 'commuter', 4),
  (31, 2, '2024-09-18', 'student', 3), (32, 5, '2024-09-18', 'visitor', 5),
  (33, 2, '2024-09-18', 'student', 3), (34, 1, '2024-09-18', 'student', 3),
  (35, 4, '2024-09-18', 'student', 4), (36, 3, '2024-09-18', 'student', 3),
  (37, 4, '2024-09-18', 'commuter', 4), (38, 5, '2024-09-18', 'student', 5),
  (39, 1, '2024-09-18', 'visitor', 4), (40, 2, '2024-09-18', 'commuter', 3),
  (41, 1, '2024-09-18', 'student', 3), (42, 1, '2024-09-19', 'commuter', 3),
  (43, 3, '2024-09-19', 'visitor', 4), (44, 1, '2024-09-19', 'visitor', 4),
  (45, 1, '2024-09-19', 'student', 4), (46, 1, '2024-09-19', 'commuter', 3),
  (47, 3, '2024-09-19', 'student', 4), (48, 1, '2024-09-19', 'visitor', 4),
  (49, 4, '2024-09-19', 'commuter', 3), (50, 2, '2024-09-19', 'student', NULL);
