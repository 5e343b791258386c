/** Server named by an id of the cluster, such as that of a connection: behind its last dot. */
export const serverIn = (id: string): string => id.slice(id.lastIndexOf('.') + 1)
