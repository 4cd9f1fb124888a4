CREATE TABLE venues (
  venue_id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  benches INTEGER NOT NULL -- places to work at
);
CREATE TABLE sessions (
  session_id INTEGER PRIMARY KEY,
  venue_id INTEGER NOT NULL REFERENCES venues,
  held_on DATE NOT NULL,
  visitors INTEGER -- NULL: not counted
);
CREATE TABLE volunteers (
  volunteer_id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  trade VARCHAR, -- NULL: none learnt
  joined INTEGER NOT NULL -- year
);
CREATE TABLE items (
  item_id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions,
  kind VARCHAR NOT NULL,
  age_years INTEGER, -- NULL: the owner does not know
  weight_kg DOUBLE,
  brought_before INTEGER -- item_id of the visit before, if it came back
);
CREATE TABLE repairs (
  item_id INTEGER PRIMARY KEY REFERENCES items,
  volunteer_id INTEGER NOT NULL REFERENCES volunteers,
  minutes INTEGER,
  parts_euros DOUBLE, -- NULL: no part was needed
  outcome VARCHAR NOT NULL CHECK (outcome IN ('fixed', 'advised', 'beyond repair'))
);
CREATE TABLE feedback (
  item_id INTEGER PRIMARY KEY REFERENCES items,
  stars INTEGER NOT NULL,
  would_pay_euros DOUBLE -- NULL: no answer
);
