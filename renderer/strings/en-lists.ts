import { count } from './counts.ts'

/** Texts of every list of things. */
export const lists = {
  clearSearch: 'Clear search',
  clearFilters: 'Clear filters',
  noMatch: 'Nothing matches',
  noMatchHint: 'The search or the filters hide everything.',
  moreFailed: 'The next rows could not be loaded.',
  loadingMore: 'Loading more…',
  closePane: 'Close details',
  select: (name: string) => `Select ${name}`,
  selectShown: 'Select all shown',
  selected: (number: number) => `${count(number, 'row', 'rows')} selected`,
  dropHidden: (number: number) => `Deselect ${number.toLocaleString()} not shown`,
  clearSelection: 'Clear selection',
  typeName: (name: string) => `Type ${name} to confirm`,
  undo: 'Undo',
  undoFailed: 'Could not be undone',
}
