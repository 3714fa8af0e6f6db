import { describe } from '@jest/globals';
import { agreed, itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

const same = agreed(() => undefined);

describe('conversion of StatefulSets', () => {
  itConvertsLosslessly({ declaration, converter, equalAlpha: same, equalBeta: same });
});
