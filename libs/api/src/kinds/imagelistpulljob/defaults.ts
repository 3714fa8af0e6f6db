/** Defaults of an ImageListPullJob of either version (spec/image-pulling.md 4). */
import { changeMember, type JsonObject } from '@kruise/objects';
import { withPullJobDefaults } from '../../defaults/image-pull.ts';

/** Returns the object with its defaults. The jobs that it creates default the pull policy of the images. Never writes to the input. */
export const defaultImageListPullJob = (object: JsonObject): JsonObject => changeMember(object, 'spec', withPullJobDefaults);
