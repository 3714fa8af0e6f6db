/** Defaults of an ImageListPullJob of either version (spec/image-pulling.md 4). */
import { changeMember, type Members } from '../../conversion/converter.ts';
import { withPullJobDefaults } from '../../defaults/image-pull.ts';

/** The object with its defaults; the pull policy of the images is left to the jobs that it makes. Never writes to the input. */
export const defaultImageListPullJob = (object: Members): Members => changeMember(object, 'spec', withPullJobDefaults);
