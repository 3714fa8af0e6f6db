import { expect, it } from '@jest/globals';
import { admissionLimits } from '@kruise/objects';
import { BodyPace } from './body-pace.ts';

const least = admissionLimits.bodyPaceBytes.value;

it.each<{ name: string; bytes: readonly number[]; then: readonly boolean[] }>([
  { name: 'arrives fast enough', bytes: [least, least, least], then: [false, false, false] },
  { name: 'stops is abandoned after two intervals', bytes: [1_000_000, 0, 0], then: [false, false, true] },
  { name: 'arrives byte by byte is abandoned', bytes: [least - 1, least - 1], then: [false, true] },
  { name: 'was not read for one interval continues', bytes: [least, 0, least, 0, least], then: [false, false, false, false, false] },
])('a body that $name', ({ bytes, then }) => {
  const pace = new BodyPace();
  let received = 0;
  expect(bytes.map((more) => pace.isTooSlow((received += more)))).toEqual(then);
});
