import { describe } from '@jest/globals';
import type { Members } from '../../conversion/converter.ts';
import { agreed, itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

interface Sketch {
  spec?: { template?: { imageListPullJobTemplate?: unknown; jobTemplate?: unknown; broadcastJobTemplate?: unknown } };
}

/** Admission lets one template in: beside another the list of images does not come back, and null is none. */
const oneTemplate = agreed((object: Sketch) => {
  const template = object.spec?.template;
  if (template === undefined) return;
  const others = [template.jobTemplate, template.broadcastJobTemplate].filter((other) => other !== undefined && other !== null);
  if (others.length > 0 || template.imageListPullJobTemplate === null) delete template.imageListPullJobTemplate;
});

describe('conversion of AdvancedCronJobs', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    equalAlpha: agreed(() => undefined),
    equalBeta: (object: Members) => oneTemplate(object),
  });
});
