import { plural } from '../../../shared/plural.ts'

const number = (value: number) => plural(value, 'person', 'people')

export const userGroups = {
  title: 'Groups of people',
  intro: 'People who share rights: what a group may do, each member may do.',
  list: 'Groups',
  search: 'Search name or description',
  shown: (total: number) => plural(total, 'group', 'groups'),
  name: 'Name',
  description: 'Description',
  members: 'Members',
  created: 'Created',
  create: 'New group',
  createTitle: 'New group of people',
  createSubmit: 'Create group',
  edit: 'Rename',
  editTitle: 'Change the group',
  save: 'Save',
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete the group ${name}?`,
  deleteConfirm: 'Delete group',
  deleteHint: (members: number, places: number) =>
    [
      members === 0
        ? 'Nobody is in it.'
        : `What it gives is taken from ${number(members)}${places === 0 ? '' : `: rights in ${plural(places, 'place', 'places')}`}.`,
      'The accounts stay. This cannot be undone.',
    ].join(' '),
  emptyTitle: 'No groups yet',
  emptyHint: 'Put technicians into a group and give rights to the group: new people then need one click.',
  emptyReader: 'An administrator of your organization has made none.',
  needs: (right: string) => `To create and change groups you need the right “${right}”.`,
  noMembers: 'Nobody is in this group.',
  addMember: 'Add people',
  findPerson: 'Name or address',
  add: 'Add',
  addOne: (name: string) => `Add ${name}`,
  added: (name: string) => `${name} was added.`,
  nobodyFound: 'Nobody matches, or they are members already.',
  removeMember: (name: string) => `Remove ${name}`,
  removed: (name: string) => `${name} was removed.`,
  gives: 'What members get',
  givesNothing: 'This group gives no rights yet.',
  showMembers: 'Show in People',
}
