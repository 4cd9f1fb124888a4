import { openStorePlace, type StorePlace } from '../../../storage/store-place.js';

/** The stores and databases of a home in a folder. */
export const placeAt = (home: string): StorePlace =>
  openStorePlace({ TURNWISE_HOME: home, TURNWISE_STORAGE: undefined });
