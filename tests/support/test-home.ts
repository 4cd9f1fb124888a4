import type { Client } from '@temporalio/client';
import { HomeClient } from '../../client/services/home-client.js';
import { homeIdSchema } from '../../domain/home.js';

/** The home of tests that have no folder with an id. */
export const testHome = homeIdSchema.parse('tests');

/** A client of the same server for `testHome`. */
export const atHome = ({ connection }: Client, queue: string): HomeClient =>
  new HomeClient({ connection }, testHome, queue);
