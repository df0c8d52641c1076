//! The concepts of seed 002 that errors and tools refer to, as the Markdown links it asks for.

pub const WORKSPACE_DISCOVERY: &str =
    "[Concept: Workspace Discovery](../../spec/specman-core/spec.md#concept-workspace-discovery)";
pub const WORKSPACE_GOVERNANCE: &str = "[Concept: Workspace & Data Governance](../../spec/specman-mcp/spec.md#concept-workspace--data-governance)";
pub const DEPENDENCY_MAPPING: &str = "[Concept: Dependency Mapping Services](../../spec/specman-core/spec.md#concept-dependency-mapping-services)";
pub const TEMPLATE_ORCHESTRATION: &str =
    "[Concept: Template Orchestration](../../spec/specman-core/spec.md#concept-template-orchestration)";
pub const INSTRUCTION_CHANNEL: &str =
    "[Concept: AI Instruction Channel](../../spec/specman-templates/spec.md#concept-ai-instruction-channel)";
pub const LIFECYCLE_AUTOMATION: &str =
    "[Concept: Lifecycle Automation](../../spec/specman-core/spec.md#concept-lifecycle-automation)";
pub const DATA_MODEL: &str = "[Concept: Data Model Backing Implementation](../../spec/specman-core/spec.md#concept-data-model-backing-implementation)";
pub const METADATA_MUTATION: &str =
    "[Concept: Metadata Mutation](../../spec/specman-core/spec.md#concept-metadata-mutation)";
pub const SESSION_SAFETY: &str = "[Concept: Session Safety & Deterministic Execution](../../spec/specman-mcp/spec.md#concept-session-safety--deterministic-execution)";
pub const TRANSPORT_COMPLIANCE: &str =
    "[Concept: MCP Transport Compliance](../../spec/specman-mcp/spec.md#concept-mcp-transport-compliance)";
