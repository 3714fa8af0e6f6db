import { describe } from '@jest/globals';
import { membersAt } from '../../conversion/converter.ts';
import { itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

describe('conversion of AdvancedCronJobs', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    canBeAlpha: (beta) => !('imageListPullJobTemplate' in membersAt(membersAt(beta, 'spec'), 'template')),
  });
});
