/** Volumes of a Pod. */
import { checkDns1123Label, fieldForbidden, fieldRequired } from '@kruise/objects';
import { given, isUnset, objectOf, objectsOf, textBy, type Rule } from './check.ts';
import { volumeSources } from './volume-sources.ts';

const sourceNames = Object.keys(volumeSources);

/** None at all is no fault here: it becomes an emptyDir. A source that is not known here is the API server's to judge. */
const oneSource: Rule = (volume, path, { faults }) => {
  const [first, ...further] = given(volume, sourceNames);
  for (const name of further) faults.push(fieldForbidden(`${path}.${name}`, 'may not specify more than 1 volume type'));
  const hasOther = Object.keys(volume).some((name) => name !== 'name' && !isUnset(volume[name]));
  if (first === undefined && !hasOther) faults.push(fieldRequired(path, 'must specify a volume type'));
};

const nameRequired: Rule = (volume, path, { faults }) => {
  if (isUnset(volume['name']) || volume['name'] === '') faults.push(fieldRequired(`${path}.name`));
};

const volume = objectOf({ ...volumeSources, name: textBy(checkDns1123Label) }, nameRequired, oneSource);

export const volumes = objectsOf(volume);
