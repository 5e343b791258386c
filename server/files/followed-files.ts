import { ByteBudget } from '../engines/flow/byte-budget.ts'

/** Files of one device that a principal follows at the same time: half of what our agent follows for all (T44). */
export const maxFollowed = 10

/** Number of files that are followed, by principal and device. */
export const followedFiles = () => new ByteBudget(Infinity, { reader: maxFollowed })
