import { describe } from '@jest/globals';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter, declaration } from './index.ts';

describe('conversion of BroadcastJobs', () => {
  itConvertsLosslessly({ declaration, converter });
});
