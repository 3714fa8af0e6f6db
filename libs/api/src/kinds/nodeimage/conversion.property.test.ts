import { describe } from '@jest/globals';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

describe('conversion of NodeImages', () => {
  itConvertsLosslessly({ declaration, converter });
});
