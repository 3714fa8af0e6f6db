/** Volumes of a Pod. */
import { checkDns1123Label, fieldForbidden } from '@kruise/objects';
import { given, objectOf, objectsOf, required, textBy, type Rule } from '../checks/check.ts';
import { volumeSources } from './volume-sources.ts';

const sourceNames = Object.keys(volumeSources);

/** A volume without a source is no fault: it has become an emptyDir. The API server validates an unknown source. */
const oneSource: Rule = (volume, path, { faults }) => {
  // A name and a source, as nearly all volumes have.
  if (Object.hasOwn(volume, 'name') && Object.keys(volume).length <= 2) return;
  for (const name of given(volume, sourceNames).slice(1))
    faults.push(fieldForbidden(`${path}.${name}`, 'may not specify more than 1 volume type'));
};

const volume = objectOf({ ...volumeSources, name: textBy(checkDns1123Label) }, required('name'), oneSource);

export const volumes = objectsOf(volume);
