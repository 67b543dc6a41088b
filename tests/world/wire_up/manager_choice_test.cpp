#include "world/wire_up/manager_choice.hpp"

#include <gtest/gtest.h>

namespace {

using baton::world::choose_manager;
using baton::world::ManagerKind;
using baton::world::ManagerVariables;

constexpr ManagerVariables hydra{
    .pmi_fd = "5", .pmi_rank = "0", .pmi_size = "2", .fd_is_socket = true};
constexpr ManagerVariables prte{.pmix_namespace = "job", .pmix_rank = "0"};

TEST(manager_choice, without_variables_there_is_none) {
  EXPECT_EQ(choose_manager({}), ManagerKind::none);
  EXPECT_EQ(choose_manager({.pmi_rank = "0", .pmi_size = "1"}), ManagerKind::none);
  EXPECT_EQ(choose_manager({.pmi_port = "host:1"}), ManagerKind::none);
  EXPECT_EQ(choose_manager({.pmix_rank = "0"}), ManagerKind::none);
}

TEST(manager_choice, one_set_of_variables_says_it) {
  EXPECT_EQ(choose_manager(hydra), ManagerKind::pmi1);
  EXPECT_EQ(choose_manager({.pmi_port = "host:1", .pmi_id = "0"}), ManagerKind::pmi1);
  EXPECT_EQ(choose_manager(prte), ManagerKind::pmix);
  ManagerVariables srun = hydra;
  srun.pmi_job = "3.0";
  EXPECT_EQ(choose_manager(srun), ManagerKind::pmi2);
}

TEST(manager_choice, an_open_connection_was_made_by_the_inner_launcher) {
  ManagerVariables both = hydra;
  both.pmix_namespace = "job";
  both.pmix_rank = "0";
  EXPECT_EQ(choose_manager(both), ManagerKind::pmi1);
  both.fd_is_socket = false;
  EXPECT_EQ(choose_manager(both), ManagerKind::pmix);
}

TEST(manager_choice, a_connection_that_is_gone_is_not_overlooked) {
  ManagerVariables gone = hydra;
  gone.fd_is_socket = false;
  EXPECT_EQ(choose_manager(gone), ManagerKind::pmi1);
}

}  // namespace
