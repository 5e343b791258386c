export const compositorEnded = 'The program that draws this Wayland desktop has ended.'
