import {
  openStorePlace,
  type StorePlace,
  type StoreSettings,
} from '../../../storage/stores/store-place.js';

/** The settings of a home whose stores are in its folder. */
export const placeOf = (home: string): StoreSettings => ({
  TURNWISE_HOME: home,
  TURNWISE_STORAGE: undefined,
});

/** The stores and databases of such a home. */
export const placeAt = (home: string): StorePlace => openStorePlace(placeOf(home));
