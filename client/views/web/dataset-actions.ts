import { z } from 'zod';
import { toldOf } from '../../../domain/building/decision-problem.js';
import { assigningSchema, decisionSchema } from '../../../domain/building/item.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { pauseBuild } from '../../runs/building/build-dataset.js';
import { assignItem, decideItem } from '../../runs/building/decide-item.js';
import type { HomeClient } from '../../services/home-client.js';
import { connectTemporal } from '../../services/session.js';
import { pausedBuildText } from '../building-text.js';
import { actionPaths } from '../page/page-paths.js';
import { datasetIn, itemIn } from './pages/dataset-pages.js';
import { parsed } from './parse-request.js';
import type { ViewHome } from './view-home.js';
import type { ViewAction } from './view-page.js';

const decideSchema = z.strictObject(decisionSchema.omit({ id: true }).shape);
const assignSchema = z.strictObject(assigningSchema.omit({ id: true }).shape);

/** What `dataset pause`, `resume`, `confirm` and `assign` do, with the same words. */
export const datasetActions = (home: ViewHome): readonly ViewAction[] => [
  pausing(home, actionPaths.pauseDataset, true),
  pausing(home, actionPaths.resumeDataset, false),
  {
    path: actionPaths.decide,
    act: async (parameters, body) => {
      const place = itemIn(parameters);
      const decision = parsed(decideSchema, body);
      const made = await withClient(home, (client) =>
        decideItem(home.environment, client, { ...place, ...decision }),
      );
      const again = made.isRepeated ? ' (it had been taken before)' : '';
      return `item ${place.item}: ${toldOf(made.decided)}${again}`;
    },
  },
  {
    path: actionPaths.assign,
    act: async (parameters, body) => {
      const place = itemIn(parameters);
      const { to, by } = parsed(assignSchema, body);
      await withClient(home, (client) =>
        assignItem(home.environment, client, { ...place, to, by }),
      );
      return `item ${place.item} is assigned to ${to.length === 0 ? 'everybody' : to.join(' and ')}`;
    },
  },
];

const pausing = (home: ViewHome, path: string, paused: boolean): ViewAction => ({
  path,
  act: async (parameters) => {
    const dataset = datasetIn(parameters);
    await withClient(home, (client) => pauseBuild(client, home.environment, dataset, paused));
    return pausedBuildText(dataset, paused);
  },
});

/** With the services that run already. Throws UserError where none do. */
async function withClient<T>(home: ViewHome, work: (client: HomeClient) => Promise<T>): Promise<T> {
  const services = await home.services();
  if (!services) {
    throw new UserError(
      'no services run, so nothing was done: `turnwise up` starts them',
      exitStatus.serviceUnreachable,
    );
  }
  const client = await connectTemporal(services.temporalAddress, home.environment);
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}
