import { plural } from '../../../shared/plural.ts'

export const tenants = {
  title: 'Organizations',
  intro: 'Each has its own people, devices, groups and rights. Nothing crosses from one to another.',
  list: 'Organizations',
  search: 'Search by name',
  name: 'Name',
  id: 'Id',
  yours: 'yours',
  shown: (number: number) => plural(number, 'organization', 'organizations'),
  create: 'New organization',
  createSubmit: 'Create organization',
  createHint:
    'It begins without anybody in it. A server service account adds its first person, or open registration makes one.',
  rename: 'Rename',
  renamed: (name: string) => `It is named ${name} now`,
  remove: 'Delete organization',
  removeTitle: (name: string) => `Delete “${name}”?`,
  removeHint:
    'Its people, devices, groups, keys, rights and settings are deleted for good. Its devices disconnect, and its people are signed out.',
  ownHint: 'You belong to this organization, so you cannot delete it.',
  emptyTitle: 'No organizations',
  emptyHint: 'The first person who registers makes one.',
}
