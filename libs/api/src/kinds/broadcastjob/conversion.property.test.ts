import { describe } from '@jest/globals';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { broadcastJobConverter, broadcastJobDeclaration } from './index.ts';

describe('conversion of BroadcastJobs', () => {
  itConvertsLosslessly({ declaration: broadcastJobDeclaration, converter: broadcastJobConverter });
});
