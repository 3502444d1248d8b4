// Everything at the precision the model states: no rule, so each op keeps its own
// promotion. Accumulator contracts are still written.
amp.policy @f32 low = f32 {
}
