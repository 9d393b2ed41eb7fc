import Big from 'big.js';

/** An amount on hold until a time, ms UTC. It is below zero if it takes back a reward that was cancelled on hold. */
export interface Hold {
  readonly time: number;
  readonly amount: string;
}

/** The amounts on hold of one closed block: sums by the end of the hold, ascending. */
export interface ClosedHolds {
  readonly times: readonly number[];
  readonly amounts: readonly string[];
  /** The first that has not been taken. */
  next: number;
}

/** Amounts on hold in one unit of an account. Closings bound the number of open holds, so open holds need no order. */
export class Holds {
  #open: Hold[] = [];
  #closed: ClosedHolds[] = [];

  add(hold: Hold): void {
    this.#open.push(hold);
  }

  /** The sum of the amounts whose hold has ended at `time`. */
  passed(time: number): Big {
    let sum = new Big(0);
    for (const hold of this.#open) if (hold.time <= time) sum = sum.plus(hold.amount);
    for (const { times, amounts, next } of this.#closed)
      for (let index = next; index < times.length && times[index]! <= time; index++) sum = sum.plus(amounts[index]!);
    return sum;
  }

  /** Takes out the amounts whose hold has ended at `time`. @returns their sum */
  take(time: number): Big {
    const sum = this.passed(time);
    this.#drop(time);
    return sum;
  }

  /** The open amounts, summed up by time, ascending. */
  openSums(): { readonly time: number; readonly amount: string }[] {
    const sums = new Map<number, Big>();
    for (const { time, amount } of this.#open) sums.set(time, (sums.get(time) ?? new Big(0)).plus(amount));
    return [...sums]
      .filter(([, sum]) => !sum.eq(0))
      .sort(([a], [b]) => a - b)
      .map(([time, sum]) => ({ time, amount: sum.toFixed() }));
  }

  /** Puts the sums of a closing at `time` in place of the open amounts. What has ended by then is counted in the closing. */
  close(time: number, times: readonly number[], amounts: readonly string[]): void {
    this.#open = [];
    if (times.length > 0) this.#closed.push({ times, amounts, next: 0 });
    this.#drop(time);
  }

  /** How many amounts it keeps. */
  get size(): number {
    return this.#closed.reduce((sum, { times }) => sum + times.length, this.#open.length);
  }

  /** Forgets the amounts whose hold has ended at `time`. */
  #drop(time: number): void {
    if (this.#open.some((hold) => hold.time <= time)) this.#open = this.#open.filter((hold) => hold.time > time);
    for (const holds of this.#closed) while (holds.times[holds.next]! <= time) holds.next++;
    if (this.#closed.some(isOver)) this.#closed = this.#closed.filter((holds) => !isOver(holds));
  }
}

const isOver = ({ times, next }: ClosedHolds): boolean => next === times.length;
