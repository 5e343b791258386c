import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rightsQueries, type FindKind } from '../api/rights-queries.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'

const typingMs = 150

/** A person, group, customer or device. */
export interface Choice {
  kind: string
  id: string
  name: string
}

interface SearchSelectProps {
  label: string
  hint?: string
  /** Shown while nothing is chosen. */
  placeholder?: string
  kind: FindKind
  value: readonly Choice[]
  onChange: (value: Choice[]) => void
  /** 1 replaces the choice by the next. */
  max?: number
  isFirst?: boolean
}

const optionOf = ({ kind, id, name }: Choice) => ({
  value: id,
  label:
    kind === 'UserGroup' || kind === 'ServiceAccount'
      ? `${visibleName(name)} (${t.rights.kinds[kind]})`
      : visibleName(name),
})

/** Field that searches the server by name. */
export function SearchSelect({
  label,
  hint,
  placeholder = t.rights.pick,
  kind,
  value,
  onChange,
  max,
  isFirst,
}: SearchSelectProps) {
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [settled] = useDebouncedValue(text, typingMs)
  const { data } = useQuery(rightsQueries.find(kind, settled.trim()))
  // Enter acts on the typed text: choices found for an earlier text cannot be chosen.
  const found = settled === text ? data : undefined
  const foundIds = new Set(found?.map(({ id }) => id))
  const known = new Map([...value, ...(found ?? [])].map((choice) => [choice.id, choice]))
  return (
    <MultiSelect
      label={label}
      description={hint}
      placeholder={value.length === 0 ? placeholder : ''}
      data={[...known.values()].map(optionOf)}
      value={value.map(({ id }) => id)}
      onChange={(ids) => {
        onChange((max === 1 ? ids.slice(-1) : ids).flatMap((id) => known.get(id) ?? []))
        setIsOpen(false)
      }}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      searchable
      searchValue={text}
      onSearchChange={setText}
      // The server has filtered by the text.
      filter={({ options }) => options.filter((option) => 'value' in option && foundIds.has(option.value))}
      nothingFoundMessage={found ? t.lists.noMatch : t.common.searching}
      data-autofocus={isFirst || undefined}
    />
  )
}
