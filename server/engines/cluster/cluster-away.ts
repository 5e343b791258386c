/** Redis, or another server, does not answer: the caller decides what this server can do alone. */
export class ClusterAway extends Error {
  override name = 'ClusterAway'
}
