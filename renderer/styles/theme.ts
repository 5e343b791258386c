import { Button, Input, createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import * as t from '../texts.ts'

const tupleOf = (color: string): MantineColorsTuple => Array<string>(10).fill(color) as unknown as MantineColorsTuple

// Mantine reaches for its dark greys in many places; these are of the same family as the surfaces of tokens.css.
const dark: MantineColorsTuple = [
  '#e5e8ed',
  '#c3c9d2',
  '#a0a9b6',
  '#7f8997',
  '#3a414c',
  '#262c34',
  '#1d2127',
  '#15181d',
  '#0f1216',
  '#0b0d10',
]

const description = { fontSize: 'var(--font-size-small)' } as const
const wrapped = { labelWrapper: { minWidth: 0, overflowWrap: 'anywhere' }, description } as const

/** Mantine's own names for the colors of tokens.css. The tuples are only names: the resolver below gives the values. */
export const theme = createTheme({
  primaryColor: 'accent',
  colors: { dark, accent: tupleOf('#4456d8'), danger: tupleOf('#c4302b'), warning: tupleOf('#d98a06') },
  defaultRadius: 'md',
  radius: { md: 'var(--radius)' },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: { xs: 'var(--font-size-small)', sm: 'var(--font-size)', md: 'var(--font-size)', lg: '16px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  shadows: { md: 'var(--shadow)' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ vars: (_, { size }) => ({ root: size ? {} : { '--button-height': '32px' } }) }),
    // As high as a button; `sm` is the default size.
    Input: Input.extend({ vars: (_, { size }) => ({ wrapper: size === 'sm' ? { '--input-height': '32px' } : {} }) }),
    // Below the control, so that controls in a row stand level.
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
      styles: { label: { lineHeight: 'var(--label-height)' }, description },
    },
    // Long names in the labels and descriptions of choices wrap.
    Radio: { styles: wrapped },
    Checkbox: { styles: wrapped },
    Switch: { styles: wrapped },
    Badge: { styles: { root: { textTransform: 'none' } } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: false, events: { hover: true, focus: true, touch: false } } },
    Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 120 }, withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4 },
        transitionProps: { duration: 120 },
        closeButtonProps: { 'aria-label': t.common.close },
      },
      styles: {
        content: { background: 'var(--surface-raised)' },
        header: { background: 'none' },
        title: { fontSize: 16, fontWeight: 600 },
      },
    },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 120 } } },
  },
})

const palette = (name: 'accent' | 'danger') => ({
  [`--mantine-color-${name}-filled`]: `var(--${name}-filled)`,
  [`--mantine-color-${name}-filled-hover`]: `var(--${name}-filled-hover)`,
  [`--mantine-color-${name}-light`]: `var(--${name === 'accent' ? 'surface-selected' : 'danger-soft'})`,
  [`--mantine-color-${name}-light-hover`]: `var(--${name === 'accent' ? 'surface-selected' : 'danger-soft'})`,
  [`--mantine-color-${name}-light-color`]: `var(--${name})`,
  [`--mantine-color-${name}-outline`]: `var(--${name})`,
  [`--mantine-color-${name}-outline-hover`]: 'var(--surface-hover)',
  [`--mantine-color-${name}-text`]: `var(--${name})`,
})

const variables = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-muted)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--danger)',
  '--mantine-color-placeholder': 'var(--text-muted)',
  '--mantine-color-default': 'var(--surface-raised)',
  '--mantine-color-default-hover': 'var(--surface-hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--border)',
  '--mantine-color-disabled': 'var(--surface-hover)',
  '--mantine-color-disabled-color': 'var(--text-muted)',
  '--mantine-color-disabled-border': 'var(--border)',
  '--mantine-color-gray-text': 'var(--text-muted)',
  '--mantine-color-gray-light-color': 'var(--text)',
  '--mantine-color-gray-light-hover': 'var(--surface-hover)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  ...palette('accent'),
  ...palette('danger'),
  '--mantine-color-warning-light': 'var(--warning-soft)',
  '--mantine-color-warning-light-color': 'var(--warning)',
  '--mantine-color-warning-text': 'var(--warning)',
}

// The same for both schemes: tokens.css already knows which one is in use.
export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: variables, dark: variables })
