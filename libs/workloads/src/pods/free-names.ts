/** Names of Pods and children that look generated and follow from what exists. */
import { hashedSuffix } from '@kruise/objects';

/** As the API server cuts `generateName`: five characters are left for what follows. */
const longestPrefix = 58;

/**
 * Returns a function from a seed to a name that is not taken and that it has not returned before. The same seed gives the same name in every pass, so an object
 * that this process does not see yet is found by its name and not created twice.
 *
 * @param takenNames names of other objects of the kind in the namespace
 */
export function freeNames(generateName: string, takenNames: { readonly has: (name: string) => boolean }): (seed: string) => string {
  const given = new Set<string>();
  return (seed) => {
    for (let attempt = 0; ; attempt++) {
      const candidate = `${generateName.slice(0, longestPrefix)}${hashedSuffix(`${seed}/${attempt}`)}`;
      if (given.has(candidate) || takenNames.has(candidate)) continue;
      given.add(candidate);
      return candidate;
    }
  };
}
