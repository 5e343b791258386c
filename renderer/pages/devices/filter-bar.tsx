import { ActionIcon, Button, Checkbox, Popover, Tooltip } from '@mantine/core'
import { IconColumns3, IconDownload, IconLayoutSidebar } from '@tabler/icons-react'
import { IconButton } from '../../components/icon-button.tsx'
import { checkProps } from '../../components/field-props.ts'
import { type DeviceFacetsDto, applianceDeviceSearch } from '../../../shared/api/appliance-device-search.ts'
import {
  formatQuery,
  hasValue,
  parseQuery,
  setValue,
  toggleTerm,
  toggleValue,
  type QueryField,
} from '../../../shared/device-query.ts'
import { useIsAway } from '../../hooks/use-live-state.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import * as t from '../../texts.ts'
import { Chip } from '../../components/list-kit/chip.tsx'
import { SearchField } from '../../components/list-kit/search-field.tsx'
import listPage from '../../components/list-page.module.css'
import classes from './devices-page.module.css'
import { FacetMenu } from './facet-menu.tsx'
import { type ChangeList, type ListState, sortProperties } from './list-url.ts'
import type { DeviceColumns } from './use-columns.ts'
import { ViewsMenu } from './views-menu.tsx'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { buildUrl } from '../../../shared/contract/client.ts'
import { saveAddress } from '../../features/transfers/download.ts'

/** Saves the list as it is: every device that the filters match, with the chosen columns, in this order. */
const useExport = ({ text, sort, isDescending }: ListState, { chosenIds }: DeviceColumns) =>
  useMutation({
    mutationFn: () =>
      saveAddress(
        buildUrl(applianceDeviceSearch.routes.export.path, {
          query: {
            query: text.trim(),
            columns: chosenIds.join(','),
            sort: sortProperties[sort],
            descending: isDescending,
          },
        }),
      ),
    onError: () => notifications.show({ color: 'danger', message: t.devices.exportFailed }),
  })

interface FilterBarProps {
  state: ListState
  facets: DeviceFacetsDto | undefined
  /** Number of devices after search and filters; undefined until it is known. */
  total: number | undefined
  /** Whether the list still shows the previous search. */
  isWaiting: boolean
  columns: DeviceColumns
  /** The tree of customers beside the list. */
  customers: { isOffered: boolean; isShown: boolean; toggle: () => void }
  onChange: ChangeList
}

/** Chips that toggle one term each, which removes the terms `replaced`: both cannot be true. */
const toggles = [
  {
    field: 'is',
    value: 'online',
    label: t.devices.online,
    replaced: ['offline'],
    countOf: ({ online }: DeviceFacetsDto) => online,
  },
  {
    field: 'is',
    value: 'offline',
    label: t.devices.offline,
    replaced: ['online'],
    countOf: ({ offline }: DeviceFacetsDto) => offline,
  },
  {
    field: 'is',
    value: 'starred',
    label: t.devices.starred,
    replaced: [],
    countOf: ({ starred }: DeviceFacetsDto) => starred,
  },
  {
    field: 'disk',
    value: '>90',
    label: t.devices.full,
    replaced: [],
    countOf: ({ diskFull }: DeviceFacetsDto) => diskFull,
  },
] as const

const menus = ['tag', 'customer', 'group', 'system', 'version'] as const satisfies readonly QueryField[]

/** Chips of the search. Each chip is a term of the typed text, so that both always agree. */
function Chips({
  text,
  facets,
  onChange,
}: {
  text: string
  facets: DeviceFacetsDto | undefined
  onChange: FilterBarProps['onChange']
}) {
  const query = parseQuery(text)
  // Starts from the address: two fast clicks may arrive before a render.
  const change = (next: (query: ReturnType<typeof parseQuery>) => ReturnType<typeof parseQuery>) =>
    onChange(({ text: now }) => ({ text: formatQuery(next(parseQuery(now))) }))
  return (
    <div className={`${listPage.chips} ${classes.chips}`} role="group" aria-label={t.devices.filters}>
      {toggles.map(({ field, value, label, replaced, countOf }) => (
        <Chip
          key={value}
          isOn={hasValue(query, field, value)}
          count={facets && countOf(facets)}
          onClick={() => change((now) => toggleTerm(now, field, value, replaced))}
        >
          {label}
        </Chip>
      ))}
      {menus.map((field) => {
        const values = facets?.[field]
        return (
          values !== null && (
            <FacetMenu
              key={field}
              field={field}
              query={query}
              values={values ?? []}
              onToggle={(value) => change((now) => toggleValue(now, field, value))}
              onClear={() => change((now) => setValue(now, field, undefined))}
            />
          )
        )
      })}
    </div>
  )
}

export function FilterBar({ state, facets, total, isWaiting, columns, customers, onChange }: FilterBarProps) {
  const isAway = useIsAway()
  const save = useExport(state, columns)
  const isLate = useIsLate(isWaiting)
  const hidden = isLate || total === undefined ? 0 : (facets?.hidden ?? 0)
  return (
    <div className={listPage.filters} role="search">
      <SearchField
        label={t.devices.search}
        hint={t.devices.searchHint}
        text={state.text}
        onChange={(text) => onChange({ text })}
      />
      <span className={`${listPage.count} small muted tabular`} role="status">
        {isLate
          ? isAway
            ? t.devices.searchWaits
            : t.common.searching
          : facets && total !== undefined && t.devices.shown(total)}
        {hidden > 0 && !isLate && (
          <>
            {' · '}
            {t.devices.hidden(hidden)}{' '}
            <button
              type="button"
              className="link-button"
              onClick={() => onChange(({ text }) => ({ text: parseQuery(text).text }))}
            >
              {t.devices.showAll}
            </button>
          </>
        )}
      </span>
      {customers.isOffered && (
        <IconButton
          label={t.devices.customers.show}
          hint={customers.isShown ? t.devices.customers.hide : t.devices.customers.show}
          icon={<IconLayoutSidebar size={18} stroke={1.6} />}
          aria-pressed={customers.isShown}
          size="lg"
          onClick={customers.toggle}
        />
      )}
      <ViewsMenu state={state} onChange={onChange} />
      <Popover position="bottom-end" withinPortal trapFocus returnFocus>
        <Popover.Target>
          <Tooltip label={t.devices.columns}>
            <ActionIcon aria-label={t.devices.columns} size="lg">
              <IconColumns3 size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown className={classes.choices}>
          {columns.choices.map((column) => (
            <Checkbox
              key={column.id}
              size="xs"
              label={String(column.columnDef.header)}
              {...checkProps(column.getIsVisible(), (isVisible) => column.toggleVisibility(isVisible))}
            />
          ))}
          <Button variant="subtle" size="compact-sm" onClick={columns.reset}>
            {t.devices.resetColumns}
          </Button>
        </Popover.Dropdown>
      </Popover>
      <IconButton
        label={t.devices.exportCsv}
        hint={t.devices.exportHint}
        icon={<IconDownload size={18} stroke={1.6} />}
        size="lg"
        loading={save.isPending}
        onClick={() => save.mutate()}
      />
      <Chips text={state.text} facets={facets} onChange={onChange} />
    </div>
  )
}
