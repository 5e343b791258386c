import { expect, test } from 'vitest'
import {
  activeTab,
  allPanes,
  firstTabs,
  maxPanes,
  withName,
  withNextTab,
  withoutPaneOf,
  withoutTab,
  withSplitPane,
  withTab,
} from '../../../../renderer/features/terminal/tabs.ts'

test('a number of a pane that was closed is not given again', () => {
  const split = withSplitPane(firstTabs, 'row', '/bin/sh')
  const again = withTab(withoutPaneOf(split, 1, 2))
  expect(allPanes(again)).toEqual([1, 3])
  expect(split.shells[2]).toBe('/bin/sh')
})

test('the pane beside the closed one gets the keyboard, and keeps it when another one is closed', () => {
  const three = withSplitPane(withSplitPane(firstTabs, 'row'), 'column')
  expect(activeTab(three).pane).toBe(3)
  expect(activeTab(withoutPaneOf(three, 1, 3)).pane).toBe(2)
  expect(activeTab(withoutPaneOf(three, 1, 1)).pane).toBe(3)
})

test('the last pane of a tab takes the tab with it, and the last tab stays', () => {
  const two = withTab(firstTabs)
  expect(withoutPaneOf(two, 2, 2)).toMatchObject({ tabs: [{ id: 1 }], active: 1 })
  expect(withoutTab(firstTabs, 1)).toEqual(firstTabs)
})

test('a tab has no more panes than can be read', () => {
  const full = Array.from({ length: maxPanes }).reduce<typeof firstTabs>(
    (state) => withSplitPane(state, 'row'),
    firstTabs,
  )
  expect(allPanes(full)).toHaveLength(maxPanes)
})

test('the tabs go round', () => {
  const three = withTab(withTab(firstTabs))
  expect(withNextTab(three, 1).active).toBe(1)
  expect(withNextTab(withNextTab(three, 1), -1).active).toBe(3)
})

test('an empty name is none', () => {
  const named = withName(firstTabs, 1, '  backup ')
  expect(activeTab(named).name).toBe('backup')
  expect(activeTab(withName(named, 1, ' ')).name).toBeUndefined()
})
