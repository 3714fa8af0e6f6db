/** Addresses of Pods, one for each: 10.128.0.1 and up, each free again when its Pod is deleted. */
const base = (10 << 24) | (128 << 16);
const size = 1 << 22;

const format = (offset: number): string => {
  const address = base + offset;
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
};

export class AddressPool {
  readonly #byPod = new Map<string, string>();
  readonly #taken = new Set<string>();
  #last = 0;

  /** Returns the Pod's address, which is assigned when it has none. */
  addressOf(podUid: string): string {
    const known = this.#byPod.get(podUid);
    if (known !== undefined) return known;
    let picked: string;
    do {
      this.#last = (this.#last % size) + 1;
      picked = format(this.#last);
    } while (this.#taken.has(picked));
    this.keep(podUid, picked);
    return picked;
  }

  /** Stores an address that was assigned to the Pod before. */
  keep(podUid: string, address: string | undefined): void {
    if (address === undefined || address === '' || this.#byPod.has(podUid)) return;
    this.#byPod.set(podUid, address);
    this.#taken.add(address);
  }

  release(podUid: string): void {
    this.#taken.delete(this.#byPod.get(podUid) ?? '');
    this.#byPod.delete(podUid);
  }
}
