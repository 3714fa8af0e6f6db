/** What was found out about Pods in earlier passes: it stays true as long as neither the Pod nor the SidecarSet's spec changes. */
import type { Pod } from '@kruise/objects';
import { memberOf, recordsOf, type Member } from './pod-facts.ts';
import type { SidecarSetView } from '../view/sidecar-set-view.ts';

interface OfOneSpec {
  readonly hash: string;
  readonly generation: number;
  /** An entry is kept as long as the state of its Pod. */
  readonly members: WeakMap<Pod, Member>;
}

export class KnownMembers {
  /** By uid of a SidecarSet that exists. */
  readonly #known = new Map<string, OfOneSpec>();

  memberOf(pod: Pod, view: SidecarSetView): Member {
    const { members } = this.#of(view);
    const held = members.get(pod);
    if (held !== undefined) return held;
    const member = memberOf(pod, recordsOf(pod), view);
    members.set(pod, member);
    return member;
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }

  #of({ object: { metadata }, hash }: SidecarSetView): OfOneSpec {
    const { uid = '', generation = 0 } = metadata;
    const held = this.#known.get(uid);
    if (held !== undefined && held.generation === generation && held.hash === hash) return held;
    const fresh: OfOneSpec = { hash, generation, members: new WeakMap() };
    this.#known.set(uid, fresh);
    return fresh;
  }
}
